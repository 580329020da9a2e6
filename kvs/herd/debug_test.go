package herd

import "fmt"

func dump(server *Server, s *session) {
	fmt.Printf("traffic %+v pending %d\n server %v\n client %v\n", s.traffic, s.pending, server.DeviceCounters(), s.remote.DeviceCounters())
	for i, l := range s.links {
		fmt.Printf("link %d oldest %d posted %d next %d recv %d reposted %d sends %d/%d/%d\n", i, l.oldest, l.posted, l.next, l.received, l.reposted, l.sends.signed, l.sends.posted, l.sends.completed)
		for n := l.oldest; n != l.next && n < l.oldest+3; n++ {
			fmt.Printf("  %d: %x %+v\n", n, uint64(*l.control(n & (l.entries - 1))), l.notes[n&(l.entries-1)])
		}
	}
	server.workers[0].do(func() {
		for _, in := range server.workers[0].inboxes {
			fmt.Printf("inbox next %d count %d condemned %v:", in.next, in.count, in.condemned)
			for i := range uint32(3) {
				fmt.Printf(" [%x taken %x]", uint64(in.peek(in.next+i)), uint64(in.taken[(in.next+i)&(in.count-1)]))
			}
			fmt.Println()
		}
	})
	fmt.Printf("stats %+v\n", server.workers[0].counters)
}
