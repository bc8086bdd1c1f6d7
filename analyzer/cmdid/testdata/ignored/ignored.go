// Package ignored has nothing but files for other builds.
package ignored
