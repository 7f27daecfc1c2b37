// The name under which the kubeconfig of `npm start` says where its controller answers: an
// extension of its context. Written by src/dev/announce.ts, read by find.ts.

export const extensionName = 'coppice.dev/controller';
