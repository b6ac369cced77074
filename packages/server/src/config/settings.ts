import type { Settings } from '@millrace/kernel';
import { z } from 'zod';
import { toolsets } from '../toolsets.ts';

export const TOOLSET_NAMES = toolsets.map(({ name }) => name);
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

const names = z.array(z.string().min(1));

/** The settings of the server itself. Flags are the fields in kebab case. */
export const coreSettings = {
  schema: z.strictObject({
    workspace: z.string().min(1).optional().describe('Folder with workflows, contexts and documents that people edit'),
    toolsets: z
      .array(z.enum(TOOLSET_NAMES))
      .min(1)
      .default([...TOOLSET_NAMES])
      .describe('Toolsets to start'),
    tools: names.optional().describe('Offer only these tools'),
    excludeTools: names.default([]).describe('Leave out these tools; overrides tools'),
    readOnly: z.boolean().default(false).describe('Hide and refuse every tool that changes things; overrides all else'),
    publishedOnly: z.boolean().default(false).describe('Offer only the tools of the published contracts'),
    host: z.string().min(1).default('127.0.0.1').describe('Address that serve listens on'),
    port: z.number().int().min(0).max(65535).default(4747).describe('Port that serve listens on; 0 picks a free one'),
    allowedHosts: names.default([]).describe('Host names that requests may use, besides localhost'),
    allowedOrigins: names.default([]).describe('Origins of web pages that may send requests, besides localhost'),
    rateLimits: z.boolean().default(true).describe('Enforce the published rate limits; off only for a trusted single user'),
    logLevel: z.enum(LOG_LEVELS).default('info').describe('How much is logged to stderr'),
    auditDays: z.number().int().min(1).max(3650).default(90).describe('Days to keep audit rows'),
    jwtIssuer: z.url().optional().describe('Accept JWTs of this issuer as bearer tokens'),
    jwtAudience: z.string().min(1).optional().describe('The audience that these JWTs must name'),
    jwtKeys: z.url().optional().describe("Address of the issuer's JWKS; by default <issuer>/.well-known/jwks.json"),
    databaseUrl: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'it must start with postgres://')
      .optional()
      .describe('Address of a Postgres database to use instead of SQLite files'),
    egressAllow: names
      .default([])
      .describe('Hosts that workflows may reach in any case, such as 10.0.0.5:3000, *.intra.example or 10.0.0.0/8'),
    egressDeny: names.default([]).describe('Hosts that workflows may never reach; overrides egressAllow'),
    egressPrivate: z
      .boolean()
      .optional()
      .describe('Whether workflows may reach this machine and private networks; by default only when not serving over HTTP'),
    token: z.string().min(16).optional().describe("The owner's token; when unset, one is generated and kept in the home"),
  }),
  environment: {
    workspace: 'MILLRACE_WORKSPACE',
    toolsets: 'MILLRACE_TOOLSETS',
    tools: 'MILLRACE_TOOLS',
    excludeTools: 'MILLRACE_EXCLUDE_TOOLS',
    readOnly: 'MILLRACE_READ_ONLY',
    publishedOnly: 'MILLRACE_PUBLISHED_ONLY',
    host: 'MILLRACE_HOST',
    port: 'MILLRACE_PORT',
    allowedHosts: 'MILLRACE_ALLOWED_HOSTS',
    allowedOrigins: 'MILLRACE_ALLOWED_ORIGINS',
    rateLimits: 'MILLRACE_RATE_LIMITS',
    logLevel: 'MILLRACE_LOG_LEVEL',
    auditDays: 'MILLRACE_AUDIT_DAYS',
    jwtIssuer: 'MILLRACE_JWT_ISSUER',
    jwtAudience: 'MILLRACE_JWT_AUDIENCE',
    jwtKeys: 'MILLRACE_JWT_KEYS',
    databaseUrl: 'DATABASE_URL',
    egressAllow: 'MILLRACE_EGRESS_ALLOW',
    egressDeny: 'MILLRACE_EGRESS_DENY',
    egressPrivate: 'MILLRACE_EGRESS_PRIVATE',
    token: 'MILLRACE_TOKEN',
  },
  secrets: ['databaseUrl', 'token'],
} satisfies Settings;

export type CoreSettings = z.output<typeof coreSettings.schema>;
