"""Reading pages of the web from this machine: public addresses only, under caps, nothing sent that says who asks."""
