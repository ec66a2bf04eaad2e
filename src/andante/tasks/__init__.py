"""What the commands do: one function and one result each."""
