// Which ports the Service of a Sandbox has.
import { describe, expect, it } from 'vitest';
import { servicePorts } from '#machines/agentsandbox/objects/service-ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const said = (spec: JsonObject): readonly string[] =>
  servicePorts(spec).map(({ name, port, protocol, targetPort }) => {
    expect(targetPort).toBe(port);
    return `${String(name)} ${String(port)}/${String(protocol)}`;
  });

describe('The ports of a Service', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['are none without containers that name some', { containers: [{ name: 'a' }] }, []],
    [
      'are sorted, and each is there once, with the first name that it has',
      {
        containers: [
          { ports: [{ containerPort: 80, protocol: 'UDP' }, { containerPort: 80 }] },
          {
            ports: [
              { containerPort: 80, name: 'web' },
              { containerPort: 80, name: 'later' },
            ],
          },
          {
            ports: [
              { containerPort: 9, name: 'low' },
              { containerPort: 0, name: 'none' },
            ],
          },
        ],
      },
      ['low 9/TCP', 'web 80/TCP', 'p-80-udp 80/UDP'],
    ],
    [
      'are those of init containers too that stay',
      {
        containers: [{ ports: [{ containerPort: 1, name: 'one' }] }],
        initContainers: [
          { restartPolicy: 'Always', ports: [{ containerPort: 2 }] },
          { ports: [{ containerPort: 3 }] },
        ],
      },
      ['one 1/TCP', 'p-2-tcp 2/TCP'],
    ],
    [
      'never have a name twice',
      {
        containers: [
          { ports: [{ containerPort: 1, name: 'p-2-tcp' }, { containerPort: 2 }] },
          { ports: [{ containerPort: 3, name: 'p-2-tcp' }] },
        ],
      },
      ['p-2-tcp 1/TCP', 'p-2-tcp-2 2/TCP', 'p-3-tcp 3/TCP'],
    ],
  ])('%s', (_, spec, ports) => {
    expect(said(spec)).toEqual(ports);
  });
});
