// Command plateia sells tickets. It is a doorman: it picks the command, runs it and picks the exit code.
package main

func main() {}
