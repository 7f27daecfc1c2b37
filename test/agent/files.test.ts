// The files that IMEX reads: hosts, nodes and configuration.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostsFile, namedNodes, plainNodes, renderConfig, slotName } from '#src/agent/files.ts';

const members = [
  { node: 'a', ip: '10.0.0.1', index: 0 },
  { node: 'b', ip: 'fd00::2', index: 2 },
];

describe('the nodes file', () => {
  it('has a name for every slot, padded to four digits (HC-33)', () => {
    const lines = namedNodes(18).split('\n');
    expect(lines).toHaveLength(19);
    expect(lines[0]).toBe('compute-domain-daemon-0000');
    expect(lines[17]).toBe('compute-domain-daemon-0017');
    expect(lines.slice(0, 18).toSorted()).toEqual(lines.slice(0, 18));
  });

  it('without names has the IPs', () => {
    expect(plainNodes(members)).toBe('10.0.0.1\nfd00::2\n');
  });
});

const block =
  '# coppice clique-agent: begin of the slots of the IMEX domain\n' +
  '10.0.0.1\tcompute-domain-daemon-0000\n' +
  '127.0.0.2\tcompute-domain-daemon-0001\n' +
  'fd00::2\tcompute-domain-daemon-0002\n' +
  '# coppice clique-agent: end\n';

describe('the hosts file', () => {
  it('keeps foreign lines and ends with our block, free slots on a sentinel (HC-65)', () => {
    const before = '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n\n10.1.1.1 pod\n';
    expect(hostsFile(before, members, 3)).toBe(before + block);
  });

  it('begins a new line where the foreign ones end without one', () => {
    expect(hostsFile('127.0.0.1 localhost', members, 3)).toBe(`127.0.0.1 localhost\n${block}`);
    expect(hostsFile('', members, 3)).toBe(block);
  });

  it('loses lines with slots that another daemon left', () => {
    const before = '10.9.9.9 compute-domain-daemon-0000\n127.0.0.1 localhost\n';
    expect(hostsFile(before, members, 3)).toBe(`127.0.0.1 localhost\n${block}`);
  });

  it('is repaired where a block was cut off or stands there twice', () => {
    const cut = `127.0.0.1 localhost\n${block.split('\n').slice(0, 2).join('\n')}\n`;
    expect(hostsFile(cut, members, 3)).toBe(`127.0.0.1 localhost\n${block}`);
    expect(hostsFile(block + block, members, 3)).toBe(block);
  });

  const member = fc.record({
    node: fc.constant('n'),
    ip: fc.ipV4(),
    index: fc.integer({ min: 0, max: 17 }),
  });
  const foreign = fc.array(
    fc.string().filter((line) => !/[\n\r]/.test(line) && !line.includes('compute-domain-daemon-')),
  );

  it('written again is the same, and foreign lines survive any number of writes (Q-19)', () => {
    fc.assert(
      fc.property(foreign, fc.array(fc.array(member), { minLength: 1 }), (lines, tables) => {
        let content = lines.join('\n');
        for (const table of tables) {
          content = hostsFile(content, table, 18);
          expect(hostsFile(content, table, 18)).toBe(content);
        }
        const kept = content.slice(0, content.indexOf('# coppice clique-agent: begin'));
        const wanted = lines.join('\n').replace(/\n*$/, '');
        expect(kept).toBe(wanted === '' ? '' : `${wanted}\n`);
        expect(content.split('# coppice clique-agent: begin')).toHaveLength(2);
        for (let index = 0; index < 18; index++) {
          expect(content.split(slotName(index))).toHaveLength(2);
        }
      }),
    );
  });
});

describe('the configuration', () => {
  it('gets our IP and the path of the nodes file (3.2, HC-52)', () => {
    const template =
      'IMEX_CMD_BIND_INTERFACE_IP={{.CommandBindIP}}\nSERVER_PORT=50000\n' +
      'IMEX_NODE_CONFIG_FILE={{ .NodesPath }}\n';
    expect(renderConfig(template, 'fd00::1', '/imexd/nodes.cfg')).toBe(
      'IMEX_CMD_BIND_INTERFACE_IP=fd00::1\nSERVER_PORT=50000\n' +
        'IMEX_NODE_CONFIG_FILE=/imexd/nodes.cfg\n',
    );
    expect(renderConfig('{{- .NodesFile -}}', '1', '/$&')).toBe('/$&');
  });

  it('refuses a placeholder that it does not know', () => {
    expect(() => renderConfig('A={{ .Port }}', '1', '/n')).toThrow(
      'the template of IMEX has {{ .Port }}: a name that ends with IP, Path or File would be right',
    );
  });
});
