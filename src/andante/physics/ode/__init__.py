"""ODE (panda3d.ode, QuickStep) behind the `Engine` contract."""
