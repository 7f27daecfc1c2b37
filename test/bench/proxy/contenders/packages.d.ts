// What http-proxy.ts uses of the package `http-proxy`, which brings no types.
declare module 'http-proxy' {
  import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
  import type { Socket } from 'node:net';

  type Failed = (error: Error, request: IncomingMessage, response: ServerResponse | Socket) => void;

  interface Proxy {
    web(request: IncomingMessage, response: ServerResponse, options: { target: string }): void;
    on(event: 'error', listener: Failed): void;
  }

  const proxies: { createProxyServer: (options: { agent: Agent }) => Proxy };
  export default proxies;
}
