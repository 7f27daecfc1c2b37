// The manifests that kubectl is given in the suite: a pod that no scheduler takes, a Service, a
// ConfigMap and a PodCliqueSet without a controller, so that nothing moves but what kubectl asks.

export const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: { app: web, tier: front }
  annotations: { example.com/note: hello }
spec:
  schedulerName: nobody
  containers:
    - name: main
      image: registry.example/web:1
      args: [serve, --port=8080]
      ports: [{ name: http, containerPort: 8080 }]
      env:
        - { name: MODE, value: fast }
        - { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
      resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { memory: 128Mi } }
      readinessProbe: { httpGet: { path: /ready, port: http }, periodSeconds: 5 }
  initContainers:
    - name: prepare
      image: registry.example/prepare:1
      command: [sh, -c, 'true']
  volumes:
    - { name: scratch, emptyDir: {} }
    - { name: settings, configMap: { name: settings } }
`;

/** What a kubelet would report, so that there is something to show. */
export const runningStatus = JSON.stringify({
  status: {
    phase: 'Running',
    podIP: '10.9.8.7',
    podIPs: [{ ip: '10.9.8.7' }],
    hostIP: '10.1.2.3',
    startTime: '2026-01-01T00:00:00Z',
    conditions: ['Initialized', 'Ready', 'ContainersReady'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
    initContainerStatuses: [
      {
        name: 'prepare',
        image: 'registry.example/prepare:1',
        imageID: 'registry.example/prepare@sha256:1',
        containerID: 'containerd://0001',
        ready: true,
        restartCount: 0,
        state: {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: '2026-01-01T00:00:00Z',
            finishedAt: '2026-01-01T00:00:00Z',
          },
        },
      },
    ],
    containerStatuses: [
      {
        name: 'main',
        image: 'registry.example/web:1',
        imageID: 'registry.example/web@sha256:2',
        containerID: 'containerd://0002',
        ready: true,
        started: true,
        restartCount: 2,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
});

export const service = `apiVersion: v1
kind: Service
metadata:
  name: web
  labels: { app: web }
spec:
  selector: { app: web, tier: back }
  ports:
    - { name: http, port: 80, targetPort: http }
    - { name: metrics, port: 9090, protocol: UDP }
`;

export const settings = (mode: string, more = ''): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: ${mode}
${more}`;

export const podCliqueSet = (replicas: number): string => `apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: demo
  labels: { team: blue }
spec:
  replicas: ${replicas}
  template:
    cliques:
      - name: worker
        labels: { tier: back }
        spec:
          roleName: worker
          replicas: 2
          minAvailable: 1
          podSpec:
            containers:
              - name: main
                image: registry.example/worker:1
                resources: { requests: { cpu: 10m } }
`;

export const event = `apiVersion: v1
kind: Event
metadata:
  name: web.1
involvedObject: { apiVersion: v1, kind: Pod, name: web, namespace: conformance-kubectl }
type: Warning
reason: Unwell
message: the pod looks pale
source: { component: doctor }
firstTimestamp: '2026-01-01T00:00:00Z'
lastTimestamp: '2026-01-01T00:00:00Z'
count: 3
`;

/** Documents of one file. */
export const documents = (...texts: readonly string[]): string => texts.join('---\n');
