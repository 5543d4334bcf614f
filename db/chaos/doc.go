// Package chaos is tests only: what Plateia's inventory does when everything around it breaks.
//
// `make chaos` sells an event of 5,000 seats to the last one through two engine processes, while statements are
// refused, lines are cut or go silent, the database is restarted and the processes are killed; then it compares what
// every client was told with what the database says. A short form runs with the other tests.
//
// The tests of unknown outcomes go through every command and every moment around COMMIT.
package chaos
