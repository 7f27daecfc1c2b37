// placeholder until the request path is there
