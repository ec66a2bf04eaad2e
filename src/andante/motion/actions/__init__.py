"""Actions: steps that move chains and joints together; text form, binding, planning, checks, runner."""
