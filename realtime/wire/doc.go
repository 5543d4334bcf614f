// Package wire is the two binary formats of real time: the stream message that
// carries one committed batch from a database transaction to every gateway, and
// the viewer protocol "plateia.v1" between a gateway and the people who look at
// a seat map. This comment is their specification; testdata holds golden vectors
// that the Go and the TypeScript decoders both pass.
//
// # Numbers
//
// A varint is an unsigned LEB128 number of at most 8 bytes, below 2^53 so that a
// JavaScript number holds it, in its shortest form: longer forms are malformed.
// Lists of ordinals or section indexes ascend and are written as gaps: the first
// number as it is, every other as (number − previous − 1). A status is two bits:
// 0 available, 1 held, 2 sold, 3 blocked. A message ends where its last field
// ends; trailing bytes are malformed. No decoder panics, and none allocates more
// than a small multiple of its input before the input is checked.
//
// # Stream message
//
//	byte    1                       version
//	16      delta id                also Nats-Msg-Id
//	16      event id
//	varint  commit time             Unix µs, the database's clock
//	varint  number of changes
//	  varint  gap of the ordinal
//	  varint  seat version << 2 | status
//
// The highest version of a seat wins, so duplicates and order do not matter.
//
// # Notice message
//
// What the processes that change holds and orders tell the gateways, over core NATS on notice.<event>: at most once,
// one message for what one committed batch changed.
//
//	byte    1                       version
//	16      event id
//	varint  number of notices, then for each:
//	  16      account: whose screens it is for; zeros: everybody who looks at the event
//	  byte    kind (see NoticeKind)
//	  varint  length, then JSON text
//
// # Stored snapshot
//
// The value of the bucket of snapshots, one key an event (see Stored):
//
//	byte    1                       version
//	16      event id
//	16      delta id of the message at seen, of whatever event; zeros: there was none
//	position                        epoch (2 varints), offset of the newest message about the event
//	varint  seen − offset           no later message about the event up to seen
//	varint  number of sections, then for each: varint seats
//	bytes   two bits a seat, as in a snapshot
//	varint  seat version, for each seat
//
// # Viewer protocol
//
// Binary WebSocket messages. The first byte is 0x10 | kind; the high digit is the
// protocol's version. A position is (epoch, offset): the epoch is the pair (event
// epoch, stream incarnation), two varints; the offset is a sequence number of the
// stream, which is shared by all events and therefore has gaps, times 16,384. What a
// gateway learns from the database while the stream is away has positions in between.
// Viewers only compare offsets.
//
// From the viewer:
//
//	hello 0x11
//	  16      event id
//	  varint  length of the token, then the token (empty: signed out)
//	  byte    flags: 1 a position follows, 2 the viewer inflates (snapshots may come deflated); other bits are malformed
//	  position                      epoch (2 varints), offset: what the viewer already shows in this view
//	  view
//	view 0x12
//	  byte    mode: 0 overview (summaries only), 1 whole chart, 2 sections
//	  mode 2: varint count (1 to 512), then gaps of section indexes
//
// hello comes first and once, view as often as the limits allow. A view of the
// whole chart gets a snapshot and deltas, one of sections the same of their seats
// and summaries of all, an overview summaries alone. What a viewer may not see
// (no access token, at some events) it gets as an overview. When views come faster
// than they are answered, what still waits of an earlier one is left out: only the
// last is sure of its answer.
//
// From the gateway:
//
//	snapshot 0x18
//	  position
//	  varint  seats of the chart
//	  varint  number of ranges, then for each: varint gap from the end of the one before, varint length
//	  bytes   two bits a seat, the seats of the ranges one after the other, seat i of them at
//	          bits 2*(i%4) of byte i/4; unused bits are 0
//	deflated 0x1d                   a snapshot, to viewers that inflate and where it saves bytes
//	  position
//	  varint  bytes of what follows the position in the snapshot
//	  bytes   those as a raw DEFLATE stream (RFC 1951), to the message's end
//	delta 0x19
//	  2 bytes little-endian: mark of the epoch (see Epoch.Mark)
//	  varint  from
//	  varint  to − from
//	  varint  commit time of the oldest change, Unix ms; 0 when there is none
//	  varint  number of changes, then for each: varint gap << 2 | status
//	summary 0x1a
//	  position
//	  varint  commit time of the oldest change, Unix ms; 0 when there is none
//	  varint  number of sections, then for each: varint free seats
//	notice 0x1b
//	  byte    kind, see Notices below
//	  varint  length, then JSON text
//	bye 0x1c
//	  varint  code (see ByeCode)
//	  varint  reconnect not before, ms; varint spread, ms: wait the first plus a random share of the second
//	  varint  length, then text for a log
//
// # What a viewer does with them
//
// A snapshot replaces the seats of its ranges and sets the position. A delta says
// everything that changed in the view in the half-open range (from, to]. With
// position p and the epoch's mark the same:
//
//   - to ≤ p: known already, ignored (an empty delta is a sign of life);
//   - from ≤ p < to: applied, p becomes to. Statuses are absolute, so a part that was known does no harm;
//   - from > p: something was missed. Nothing is shown; the viewer asks for a new snapshot unless the gap fills.
//
// A deflated snapshot is inflated first; whoever inflates beside the reading of the connection keeps what follows
// waiting, so that frames are applied in the order in which they came. One that does not inflate to exactly the bytes it
// names is a frame that does not decode.
//
// A delta of another epoch is ignored. After a hello with a position that can be
// resumed the gateway sends a delta from it instead of a snapshot; the viewer
// keeps its map. The snapshot that answers a view counts whatever its position,
// which may be older than what the view before had come to. A frame that does not
// decode is treated like a gap.
//
// # Notices
//
// A notice may be lost, come twice or out of order: it tells a page to look, and is not what the page relies on.
// Members that a viewer does not know are ignored, so are kinds.
//
//	1 event  {"state"}                                 the event's state: on_sale, paused, closed, cancelled
//	2 price  {"prices"}                                new prices for new holds
//	3 hold   {"holdId","state","expiresAt","version"}  of the viewer's own account. ACTIVE (also: its end moved), PAYING,
//	                                                   CONVERTED (sold), RELEASED, EXPIRED; RFC 3339 times
//	4 order  {"orderId","status","version"}            of the viewer's own account, any status of an order
//
// A version grows with its row: a lower one than known is old news, an equal one says that something beside the
// row has changed, such as a payment that can be made now. An order that ends because its hold ends may be told of
// by the hold alone. Kinds 3 and 4 go to connections whose hello had a token of that account, at that event, and
// to nobody else.
//
// Gateways send something at least every 30 seconds: a viewer that has heard
// nothing for 75 has lost its connection.
//
// # The same over server-sent events
//
// Where no WebSocket comes through, the same address answers a plain GET with the
// same frames of the gateway, one event each:
//
//	GET /v1/events/{event}/live?view=whole
//	Accept: text/event-stream
//	Authorization: Bearer (access token), left out when signed out
//	Last-Event-ID: 3.1722900123456789.70001
//
//	id: 3.1722900123456789.70009
//	data: (the frame in base64, padded)
//
// The view is "overview", "whole" (also when there is none) or ascending section
// indexes ("0.7.12"); another view is another request. An id is the position that the
// frame leads to, as event epoch, stream incarnation and offset, each a decimal number
// in its shortest form; frames that do not move the viewer have none. Last-Event-ID is
// the position of a hello. A token never stands in an address. What can be refused
// before the stream begins is a problem document (400 view or position, 401 token, 403
// origin or event for admitted fans only, 429 and 503 with Retry-After); after that a
// bye says why it ends, with "retry:" for browsers' own clients.
package wire
