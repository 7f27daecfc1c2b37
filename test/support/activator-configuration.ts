// A configuration file of an activator on loopback: any ports, and no drain but what a test says.
export const activatorConfiguration = (activator: object): string =>
  JSON.stringify({
    apiVersion: 'coppice.dev/v1alpha1',
    kind: 'CoppiceConfiguration',
    activator: {
      bindAddress: '127.0.0.1',
      httpPort: 0,
      h2cPort: 0,
      healthPort: 0,
      drainSeconds: 0,
      ...activator,
    },
  });
