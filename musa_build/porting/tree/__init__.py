"""The source tree and the ported tree: reading, comparing with the manifest, writing."""
