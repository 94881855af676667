from borrowed import borrow

theirs = borrow("runtime")
globals().update({name: one for name, one in vars(theirs).items() if not name.startswith("__")})
