import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

export interface EgressRules {
  /** Hosts that may always be reached: a name, `*.name`, an address or a range, each with `:port` if it is about one. */
  allow: readonly string[];
  /** Hosts that may never be reached; wins over everything. */
  deny: readonly string[];
  /** Whether addresses of this machine and of private networks may be reached. */
  privateNetworks: boolean;
}

export type Verdict = { allowed: true; addresses: string[] } | { allowed: false; reason: string };

/** Addresses that no range names: clouds answer there with the secrets of the machine. */
const METADATA = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'].map((address) => ipaddr.parse(address).toNormalizedString());

const RANGES: Record<string, string> = {
  loopback: 'this machine',
  unspecified: 'this machine',
  linkLocal: 'a link-local network, where clouds keep secrets of the machine',
  private: 'a private network',
  uniqueLocal: 'a private network',
  carrierGradeNat: 'a private network',
};

export type Resolve = (host: string) => Promise<string[]>;

/** Judges where requests may go that people, models or workflows ask for: once by name and once by every address behind it. */
export class Egress {
  readonly #rules: EgressRules;
  readonly #resolve: Resolve;

  constructor(rules: EgressRules, resolve: Resolve = resolved) {
    this.#rules = rules;
    this.#resolve = resolve;
  }

  /** Only the addresses of the verdict may be dialled: asked again, a name may have others. */
  async judge(host: string, port: number): Promise<Verdict> {
    const name = host
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
      .toLowerCase();
    const addresses = isAddress(name) ? [name] : await this.#resolve(name);
    if (addresses.length === 0) return { allowed: false, reason: `There is no host ${name}` };
    const plain = addresses.map(plainAddress);
    const { allow, deny, privateNetworks } = this.#rules;
    const denied = deny.find((rule) => plain.some((address) => matches(rule, name, address, port)));
    if (denied !== undefined) return { allowed: false, reason: `${name} is denied by the rule ${denied}` };
    if (privateNetworks) return { allowed: true, addresses: plain };
    for (const address of plain) {
      if (allow.some((rule) => matches(rule, name, address, port))) continue;
      const network = forbidden(address);
      if (network !== undefined)
        return { allowed: false, reason: `${name} is ${network}, which workflows may not reach here: allow it with MILLRACE_EGRESS_ALLOW` };
    }
    return { allowed: true, addresses: plain };
  }
}

async function resolved(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    // The resolver fails in many ways, and each means the same here.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/** Only the usual notations: what a resolver might read as an address and a rule as a name is a name that does not exist. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Without zone, and mapped IPv4 as what it is. */
function plainAddress(address: string): string {
  return ipaddr.process(address.replace(/%.*$/, '')).toNormalizedString();
}

function forbidden(address: string): string | undefined {
  if (METADATA.includes(address)) return "a cloud's address for secrets of the machine";
  const range = ipaddr.parse(address).range();
  return range === 'unicast' ? undefined : (RANGES[range] ?? `an address of the range ${range}`);
}

function matches(rule: string, name: string, address: string, port: number): boolean {
  const { host, port: only } = parsed(rule);
  if (only !== undefined && only !== port) return false;
  if (host.includes('/')) return inRange(address, host);
  if (isAddress(host)) return plainAddress(host) === address;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host;
}

function parsed(rule: string): { host: string; port: number | undefined } {
  const [, bracketed, host = bracketed ?? '', port] =
    /^(?:\[(.*)\]|(.*?[^:]))(?::(\d+))?$/.exec(isAddress(rule) ? `[${rule}]` : rule) ?? [];
  return { host: host.toLowerCase(), port: port === undefined ? undefined : Number(port) };
}

function inRange(address: string, range: string): boolean {
  try {
    const [network, bits] = ipaddr.parseCIDR(range);
    const one = ipaddr.parse(address);
    return one.kind() === network.kind() && one.match(network, bits);
  } catch {
    // What looks like a range and is not one matches nothing.
    return false;
  }
}
