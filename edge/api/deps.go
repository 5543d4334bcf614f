package api

import (
	"context"
	"log/slog"

	"plateia/core/account"
	"plateia/core/event"
	"plateia/core/id"
	"plateia/core/inventory"
	"plateia/core/queue"
	"plateia/core/seatmap"
	"plateia/core/ticket"
)

// Deps is what the API is made of. Package main fills it in; each part is
// declared here, by its consumer, as small as its handlers need it.
type Deps struct {
	Logger      *slog.Logger
	Tokens      Tokens
	Events      Events
	Accounts    Accounts
	Mint        Mint
	Room        Room
	Records     Records
	Seats       Inventory
	Checkout    Checkout
	Ops         Ops
	Rooms       Rooms
	Partners    Partners
	PartnerDesk PartnerDesk
	Views       Views
	Signer      *ticket.Signer              // of ticket codes
	Ready       func(context.Context) error // nil: always ready
}

// Tokens verifies credentials locally: a signature and a clock, no lookup.
// Every failure is fault.Unauthenticated, with a text that says nothing of why.
type Tokens interface {
	Session(token string) (account.Session, error)
	Ticket(token string) (account.QueueTicket, error)
	Access(token string) (account.Access, error)
	MintSession(account id.ID) (string, account.Session, error)
	// Proof verifies a DPoP proof (RFC 9449) for a request and returns the thumbprint of the key that made it.
	Proof(proof, method, path, token string) (keyThumb string, err error)
	JWKS() []byte
}

// Events reads what is on sale.
type Events interface {
	List(ctx context.Context, q event.Query) (event.Page, error)
	Similar(ctx context.Context, e event.Event, limit int) ([]event.Event, error)
	Directory(ctx context.Context) (event.Directory, error)
	Event(ctx context.Context, event id.ID) (event.Event, error)
	Shown(ctx context.Context, event id.ID) (event.Event, error) // for pages: may be some seconds old
	Chart(ctx context.Context, chart id.ID, version int) (*seatmap.Chart, error)
}

// Accounts signs people in.
type Accounts interface {
	SendCode(ctx context.Context, email, locale string) error
	SignIn(ctx context.Context, email, code string) (account.Account, error)
	// SignInUnproved opens the account of an address without a code: rehearsals and development only.
	SignInUnproved(ctx context.Context, email string) (account.Account, error)
	Account(ctx context.Context, account id.ID) (account.Account, error)
}

// Mint gives places in lines.
type Mint interface {
	Enter(ctx context.Context, event id.ID, who account.Session, keyThumb string, asked queue.Asked) (token string, ticket account.QueueTicket, err error)
}

// Room is the waiting room.
type Room interface {
	Document(ctx context.Context, event id.ID) (signed []byte, err error) // the frontier document, JSON
	Status(ctx context.Context, ticket account.QueueTicket) (account.Place, error)
	Claim(ctx context.Context, who account.Session, ticket account.QueueTicket, keyThumb string) (token string, access account.Access, err error)
	Leave(ctx context.Context, ticket account.QueueTicket) error
	Seen(event, account id.ID) // a sign of life; never waits
}

// Inventory is the engine as the handlers use it.
type Inventory interface {
	Do(ctx context.Context, event id.ID, cmd inventory.Command) (inventory.Outcome, error)
	Availability(ctx context.Context, event id.ID) (*inventory.Availability, error)
	Hold(ctx context.Context, hold id.ID) (inventory.Hold, error)
	LiveHold(ctx context.Context, event, account id.ID) (inventory.Hold, error)
}
