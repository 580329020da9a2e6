// Package wire defines the format of RoCE v2 packets: headers, opcodes, and the ICRC.
//
// The format follows the InfiniBand Architecture Specification, volume 1: 7.8 (ICRC), 9.2 and 9.3
// (headers, opcodes), 9.4 (operations), 9.6 (valid packets), 9.7 and 9.8 (reliable and unreliable
// services), and annex A17 (RoCE v2: UDP port, IP header, fields outside the ICRC). Numbers are big
// endian:
//
//	Ethernet | IPv4, DF | UDP, to 4791 | BTH | DETH | RETH | AETH | ImmDt | payload | 0–3 zeros | ICRC
//
//	BTH    byte 0        1                   2       4          5       8             9
//	           | opcode | SE M Pad2 TVer4=0 | P_Key | reserved | dest QP | AckReq, res | PSN |
//	DETH   byte 0       4          5                         UD
//	           | Q_Key | reserved | source QP |
//	RETH   byte 0    8       12                              first or only packet of a WRITE; READ
//	           | VA | R_Key | DMA length of the message |
//	AETH   byte 0           1                                ACK; first, last and only READ response
//	           | syndrome | MSN |
//	ImmDt  byte 0                                            last or only packet "with immediate"
//	           | immediate |
//
// A message is cut into packets of the path MTU. The PSN increases by one per packet. The ICRC is a
// CRC-32, stored little endian. It covers eight bytes of ones and the packet from the IP header on.
// Ones replace all fields that routers may change.
package wire
