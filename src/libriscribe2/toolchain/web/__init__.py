"""The guarded way to the network: public addresses only, looked at again on every redirect."""
