"""The exercises of lesson 09: encoding fast."""
