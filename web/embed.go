// Package web carries the built fan pages inside the binary.
//
// The files are made by `npm run build`. A checkout in which that has not run still compiles: dist then holds only
// .gitkeep, Built answers false, and the server can say what is missing instead of serving nothing.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Assets is the built site: HTML pages at the root, hashed files and their .br and .gz forms under assets/.
func Assets() fs.FS {
	site, err := fs.Sub(dist, "dist")
	if err != nil {
		return dist // unreachable: dist is always embedded
	}
	return site
}

// Partner is the site of the demo's partner, which pages of ours never link to: it is served at an origin of its own, in
// development only. Empty when it was not built.
func Partner() fs.FS {
	site, err := fs.Sub(dist, "dist/partner")
	if err != nil {
		return dist // unreachable: the name is valid
	}
	return site
}

// Built reports whether the site was built before the program was compiled.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}
