"""The exercises of lesson 08: encoding fast, and decoding while ids arrive."""
