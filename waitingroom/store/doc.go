// Package store keeps the log of entries, which is outside the database, on JetStream.
//
// Invariants:
//   - One message per account and epoch, and the first write wins: each is written with
//     Nats-Expected-Last-Subject-Sequence 0, and nothing is ever overwritten.
//   - What was acknowledged is on the disk, where the server syncs always (natsd.Options.SyncAlways) or
//     keeps several replicas. Writes that come together are one batch and cost one sync.
//   - An entry that reached the log later than its writer could have waited for it is not in the lottery any
//     more: everybody reads it as a late one, of the time at which it arrived (see message.go). So when the log is cut
//     off, nothing of the lottery can still be on its way.
//   - A subject names its shard, and the log is in order: so is each shard.
package store
