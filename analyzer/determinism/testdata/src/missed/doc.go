// Package missed holds one snippet per file. In each, something is wrong that the analyzer does not see.
package missed
