raise ValueError("no key\nfor the model")
