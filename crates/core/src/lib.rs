//! Break any solid along any pattern, where it was hit.
