"""What holds for every test."""

from hypothesis import HealthCheck, settings

# How long an example takes says more about what else the machine does than about the code under test.
settings.register_profile("andante", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("andante")
