"""Falls: detection, protection, getting up again, and safe routes between standing poses."""
