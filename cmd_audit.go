package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"plateia/core/id"
	"plateia/waitingroom/audit"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/token"
)

// runAudit checks what an operator has published, without trusting the operator.
func runAudit(ctx context.Context, e env, args []string) error {
	if len(args) == 0 || args[0] != "draw" {
		return errUsage{"usage: plateia audit draw --event ID [--record FILE | --url ADDRESS] [--seen FILE]… [--account PSEUDONYM] [--json]"}
	}
	flags := newFlags(e, "audit draw")
	event := flags.String("event", "", "event `id`")
	file := flags.String("record", "", "the public record as a `file`; \"-\" is standard input (default: fetched from --url)")
	base := flags.String("url", "http://127.0.0.1:8080", "`address` of the installation")
	keyFile := flags.String("keys", "", "the operator's JSON Web Key Set as a `file` (default: fetched with the record, or the keys that the record names)")
	account := flags.String("account", "", "show the rank of this `pseudonym` too")
	asJSON := flags.Bool("json", false, "report as JSON")
	var seen seenFiles
	flags.Var(&seen, "seen", "a signed statement or frontier document kept from before, as a `file`; may be given again")
	if err := flags.parse(args[1:]); err != nil {
		return err
	}
	eventID, err := parseEvent(*event)
	if err != nil {
		return err
	}
	o := audit.Options{Event: eventID, Chain: beacon.Quicknet(), Account: *account, Seen: seen}
	source := recordSource{file: *file, base: strings.TrimSuffix(*base, "/"), keys: *keyFile, event: eventID}
	record, err := source.read(ctx, &o)
	if err != nil {
		return err
	}
	return printAudit(e.stdout, audit.Audit(record, o), *asJSON)
}

// seenFiles are documents that somebody kept.
type seenFiles []token.Statement

func (s *seenFiles) String() string { return "" }

// Set implements flag.Value: it reads the file.
func (s *seenFiles) Set(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var kept token.Statement
	if err := json.Unmarshal(text, &kept); err != nil || kept.Signature == "" {
		return fmt.Errorf("%s is no signed document", name)
	}
	*s = append(*s, kept)
	return nil
}

// recordSource is where record and keys come from.
type recordSource struct {
	file, base, keys string
	event            id.ID
}

func (s recordSource) read(ctx context.Context, o *audit.Options) (record audit.Record, err error) {
	switch s.file {
	case "":
		err = fetch(ctx, s.base+"/v1/events/"+s.event.String()+"/draw", func(body io.Reader) (err error) {
			record, err = audit.Read(body)
			return err
		})
	case "-":
		record, err = audit.Read(os.Stdin)
	default:
		var f *os.File
		if f, err = os.Open(s.file); err == nil {
			defer f.Close()
			record, err = audit.Read(f)
		}
	}
	if err != nil {
		return record, err
	}
	switch {
	case s.keys != "":
		set, err := os.ReadFile(s.keys)
		if err != nil {
			return record, err
		}
		o.Keys, err = token.ParseJWKS(set)
		return record, err
	case s.file == "":
		err = fetch(ctx, s.base+"/.well-known/jwks.json", func(body io.Reader) error {
			set, err := io.ReadAll(io.LimitReader(body, 64<<10))
			if err == nil {
				o.Keys, err = token.ParseJWKS(set)
			}
			return err
		})
	}
	return record, err
}

// fetch gets a public document; a record of millions of entries may take minutes.
func fetch(ctx context.Context, address string, read func(io.Reader) error) error {
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return errUsage{fmt.Sprintf("--url: %q is not an address such as https://tickets.example", address)}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return read(resp.Body)
}

// printAudit says everything that was looked at; it ends with errFailed when something is wrong.
func printAudit(w io.Writer, r audit.Report, asJSON bool) error {
	var err error
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		err = out.Encode(r)
	} else {
		err = writeAudit(w, r)
	}
	if r.Failures > 0 {
		err = errors.Join(err, errFailed)
	}
	return err
}

func writeAudit(w io.Writer, r audit.Report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	skipped := 0
	for _, c := range r.Checks {
		name := c.Name
		if c.Epoch > 0 {
			name = fmt.Sprintf("epoch %d: %s", c.Epoch, c.Name)
		}
		if c.Result == audit.NotChecked {
			skipped++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Result, name, strings.ReplaceAll(c.Detail, "\n", "; "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if r.Rank != "" {
		fmt.Fprintf(w, "rank %s, place %d in its tier\n", r.Rank, r.Place)
	}
	_, err := fmt.Fprintf(w, "event %s: %d checks, %d failed, %d could not be made\n", r.Event, len(r.Checks), r.Failures, skipped)
	return err
}
