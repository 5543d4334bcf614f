// Package fanoutbench measures what it costs that everybody sees a change: `plateia
// bench fanout`. Gateways are processes of their own and so are the viewers, whose
// client is as light as can be (one thread, raw sockets, frames read in place), so that on
// one machine most of what is measured is the gateway. The stream between is a real JetStream server.
//
// A run has three parts: everybody connects, and the gateways' memory is read once it is quiet;
// single changes after a quiet moment, timed until the last viewer has each; changes at a
// rate, timed from commit to frame at every viewer.
//
// A viewer has a frame when its kernel has received it (SO_TIMESTAMPNS; of frames that are read at once the last one's
// time counts), and its process, at the lowest priority, reads it when the gateways leave a processor free: viewers elsewhere
// would not compete with them for one. When the processes had read it is in the report too (allViewersReadP50Ms,
// deltaReadP50Ms, deltaReadP99Ms), with their waiting for a processor.
//
// With Options.Centrifugo the same then happens with a Centrifugo 6, whose viewers come when ours
// have left, so that neither pays for the other's. It gets changes at the rate for 20 seconds at most, and its publisher
// gathers those of half a second into one message, because Centrifugo itself sends every publication to every
// subscriber. Build and start it beside:
//
//	GOBIN=$PWD/bin go install github.com/centrifugal/centrifugo/v6@latest
//	bin/centrifugo --config realtime/fanoutbench/centrifugo.json
//	plateia bench fanout --viewers 15000 --centrifugo http://127.0.0.1:8000
package fanoutbench
