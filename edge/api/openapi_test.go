package api

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"plateia/core/fault"
	"plateia/edge/problem"
)

// document is edge/openapi.yaml, validated.
func document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return doc
}

var fiberParam = regexp.MustCompile(`:([A-Za-z]+)`)

// The document's operations are the router's routes, both ways.
func TestOpenAPIIsTheRouter(t *testing.T) {
	described := map[string]*openapi3.Operation{}
	for path, item := range document(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if _, elsewhere := operation.Extensions["x-served-by"]; !elsewhere {
				described[method+" "+path] = operation
			}
		}
	}
	api := New(Deps{Tokens: oneSession{}}, Options{DevSessions: true})
	for _, r := range api.routes() {
		name := r.method + " " + fiberParam.ReplaceAllString(r.path, "{$1}")
		operation, ok := described[name]
		if !ok {
			t.Errorf("%s is not in openapi.yaml", name)
			continue
		}
		delete(described, name)
		checkOperation(t, name, r, operation)
	}
	for name := range described {
		t.Errorf("openapi.yaml has %s, the router has not", name)
	}
}

var schemeOf = map[credential]string{bySession: "session", byAccess: "access", byTicket: "queueTicket", byOperator: "operator"}

// checkOperation compares what a route asks for: credential and Idempotency-Key.
func checkOperation(t *testing.T, name string, r route, operation *openapi3.Operation) {
	t.Helper()
	got := "public"
	if operation.Security != nil {
		for scheme := range (*operation.Security)[0] {
			got = scheme
		}
	}
	if want := schemeOf[r.needs]; r.needs != public && got != want || r.needs == public && got != "public" {
		t.Errorf("%s: documented credential %s, the route needs %q", name, got, want)
	}
	keyed := slices.ContainsFunc(operation.Parameters, func(p *openapi3.ParameterRef) bool { return p.Value.Name == headerKey })
	if keyed != r.repeat {
		t.Errorf("%s: documented Idempotency-Key %v, the route takes one: %v", name, keyed, r.repeat)
	}
	if operation.Responses.Default() == nil {
		t.Errorf("%s does not document its problems", name)
	}
}

// Secrets travel in headers and bodies: no address has a place for one, where logs and histories would keep it.
func TestNoSecretTravelsInAnAddress(t *testing.T) {
	secret := regexp.MustCompile(`(?i)token|secret|password|session|proof|credential|code$|key$`)
	for path, item := range document(t).Paths.Map() {
		parameters := item.Parameters
		for _, operation := range item.Operations() {
			parameters = append(parameters, operation.Parameters...)
		}
		for _, p := range parameters {
			if (p.Value.In == "query" || p.Value.In == "path") && secret.MatchString(p.Value.Name) {
				t.Errorf("%s takes %s in its address", path, p.Value.Name)
			}
		}
	}
}

// Every code that can be answered is documented, and nothing else is.
func TestOpenAPIListsTheCodes(t *testing.T) {
	documented := map[string]bool{}
	for _, code := range document(t).Components.Schemas["Code"].Value.Enum {
		documented[fmt.Sprint(code)] = true
		if !slices.Contains(problem.Codes(), fault.Code(fmt.Sprint(code))) {
			t.Errorf("%v is documented and has no status", code)
		}
	}
	for _, code := range problem.Codes() {
		if !documented[string(code)] {
			t.Errorf("%s is not documented", code)
		}
	}
}
