"""Robots that ship with Andante, each a package that registers itself by an entry point, as strangers' packages do."""
