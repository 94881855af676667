"""What happens inside a collective: traces of the preload library, read and analysed."""
