"""The services, one module each."""
