"""The checks of `zkmem doctor`."""
