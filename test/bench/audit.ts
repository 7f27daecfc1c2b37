// Requests of controllers out of an API server's audit log: one JSON object a line, the last of
// which may be half written.
import type { RequestCounts } from './requests.ts';

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

export function auditCounts(log: string): RequestCounts {
  const counts: Record<string, number> = {};
  for (const line of log.slice(0, log.lastIndexOf('\n') + 1).split('\n')) {
    if (!line.includes('"coppice-controller')) continue;
    const { verb, objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
    const resource = [objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/');
    const key = `${verb} ${resource} ${responseStatus?.code ?? 0}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
