"""Wave."""
