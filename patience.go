package main

import "time"

// ghostsLast is how long bytes that a connection was sent may wait for the other side's acknowledgement. The live map says
// something every 25 s, so a phone that vanished without a word (a tunnel, another network) is let go in under 90 s;
// otherwise the kernel would try for a quarter of an hour, and a dozen such ghosts would use up what an account may have.
const ghostsLast = time.Minute
