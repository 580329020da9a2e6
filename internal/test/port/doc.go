// Package port finds ports for servers that tests start and that can't be asked which one they chose.
package port
