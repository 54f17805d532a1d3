"""The discipline of a user's own application: any server, in any language, driven over HTTP."""
