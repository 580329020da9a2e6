// Words that a stranger to the field or to the study needs.
const WORDS = {
  "Mops": "Million operations per second. An operation is one GET or one SET of one key.",
  "kops": "Thousand operations per second.",
  "CH-SH": "Clients on host A, server on host B.",
  "CD-SH": "Clients on the DPU of host A, server on host B.",
  "CDH-SH": "Clients on host A and on its DPU, results summed; server on host B.",
  "CH-SD": "Clients on host A, server on the DPU of host B.",
  "CD-SD": "Clients on the DPU of host A, server on the DPU of host B.",
  "L-CD-SH": "Clients on the DPU in the server's own host B, server on host B.",
  "knee": "The last mark before latency grows faster than throughput.",
  "hits": "The share of GETs that found their key. A store in cache mode may drop keys, so that slightly less than 100 % is no error.",
  "unmodelled": "A machine of an emulated testbed without a model of a DPU: it has the CPUs of the machine under it.",
  "p99": "The latency that 99 % of the operations stay within; p99.9 is for 99.9 %.",
};

// word is a text with the explanation of its word, in a tooltip and behind a link.
function word(name, text) {
  return WORDS[name] ? el("a", { class: "word", href: "#word-" + name, title: WORDS[name] }, text || name) : text || name;
}

// wordList explains the words that are on this page: all, without the placements of other runs.
function wordList() {
  const placements = dim("placement").values;
  const used = Object.keys(WORDS).filter(w => !/^L?-?C[DH]+-S[DH]$/.test(w) || placements.includes(w));
  $("#words").replaceChildren(...used.flatMap(w => [el("dt", { id: "word-" + w }, w), el("dd", {}, WORDS[w])]));
}
