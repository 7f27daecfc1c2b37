"""What the test of the Python SDK does with it, as JSON: a Sandbox out of a pool, listed, suspended,
resumed and deleted. Arguments: the pool and the namespace."""

import json
import sys
import time

from k8s_agent_sandbox import SandboxClient

pool, namespace = sys.argv[1:]
sdk = SandboxClient()
api = sdk.k8s_helper.custom_objects_api


def eventually(what, look):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    raise TimeoutError(what)


def switch(name, mode):
    api.patch_namespaced_custom_object(
        group="agents.x-k8s.io",
        version="v1beta1",
        namespace=namespace,
        plural="sandboxes",
        name=name,
        body={"spec": {"operatingMode": mode}},
    )


started = time.monotonic()
sandbox = sdk.create_sandbox(warmpool=pool, namespace=namespace, sandbox_ready_timeout=60)
took = time.monotonic() - started
name, claim = sandbox.sandbox_id, sandbox.claim_name
told = {
    "claim": claim,
    "sandbox": name,
    "seconds": round(took, 3),
    "pod": sandbox.get_pod_name(),
    "ip": sandbox.get_pod_ip(),
    "status": sandbox.status()[0],
    "listed": sdk.list_all_sandboxes(namespace=namespace),
    "found": sdk.get_sandbox(claim, namespace=namespace).sandbox_id,
}

switch(name, "Suspended")
told["suspended"] = eventually("suspended", lambda: sandbox.get_pod_ip() is None)
switch(name, "Running")
told["resumed"] = eventually("resumed", lambda: sandbox.get_pod_ip())
eventually("ready again", lambda: sandbox.status()[0] == told["status"])

sdk.delete_sandbox(claim, namespace=namespace)
told["left"] = eventually(
    "deleted", lambda: claim not in sdk.list_all_sandboxes(namespace=namespace)
)
print(json.dumps(told))
