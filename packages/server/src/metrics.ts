import type { AuditLog } from '@millrace/kernel';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  text(): Promise<string>;
  /** Counts every call on its way into the audit log. */
  observed(auditLog: AuditLog): AuditLog;
}

/** Prometheus metrics of one server. Tool names are a closed set, so labels stay few. */
export function createMetrics(knownTools: () => ReadonlySet<string>, version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'millrace_info', help: 'Version of the server', labelNames: ['version'], registers: [registry] }).set({ version }, 1);
  const calls = new Counter({
    name: 'millrace_tool_calls_total',
    help: 'Tool calls by outcome',
    labelNames: ['tool', 'status', 'code'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'millrace_tool_call_seconds',
    help: 'Duration of tool calls',
    labelNames: ['tool'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  return {
    text: () => registry.metrics(),
    observed: (auditLog) => ({
      record(record) {
        const tool = knownTools().has(record.tool) ? record.tool : 'unknown';
        calls.inc({ tool, status: record.status, code: record.errorCode ?? 'none' });
        durations.observe({ tool }, record.durationMs / 1000);
        return auditLog.record(record);
      },
    }),
  };
}
