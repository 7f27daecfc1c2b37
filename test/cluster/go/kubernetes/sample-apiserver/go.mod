// An empty stand-in: k8s.io/kubernetes names this module, nothing that is built here needs it.
module k8s.io/sample-apiserver

go 1.25.0
