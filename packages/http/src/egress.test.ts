import { describe, expect, test } from 'vitest';
import { Egress } from './egress.ts';

const NAMES: Record<string, string[]> = {
  'example.com': ['93.184.215.14'],
  'api.example.com': ['93.184.215.15'],
  'inside.example.com': ['10.1.2.3'],
  'two-faced.example.com': ['93.184.215.14', '127.0.0.1'],
};
const egress = (rules: Partial<ConstructorParameters<typeof Egress>[0]> = {}) =>
  new Egress({ allow: [], deny: [], privateNetworks: false, ...rules }, async (host) => NAMES[host] ?? []);

describe('where requests may go', () => {
  test('a public host may be reached, by exactly the addresses that were judged', async () => {
    expect(await egress().judge('Example.com.', 443)).toEqual({ allowed: true, addresses: ['93.184.215.14'] });
  });

  test.each([
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '168.63.129.16',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '[::1]',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    'fe80::1%eth0',
    'fd00::1',
    'fd00:ec2::254',
    '2002:7f00:1::',
    'ff02::1',
    'inside.example.com',
    'two-faced.example.com',
    'nowhere.example.com',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '127.1',
  ])('%s may not', async (host) => {
    expect(await egress().judge(host, 80)).toMatchObject({ allowed: false });
  });

  test('rules name hosts, families of hosts, addresses, ranges and ports; a denial wins', async () => {
    const allowed = async (rules: Parameters<typeof egress>[0], host: string, port = 80) => (await egress(rules).judge(host, port)).allowed;
    expect(await allowed({ allow: ['inside.example.com'] }, 'inside.example.com')).toBe(true);
    expect(await allowed({ allow: ['*.example.com:8080'] }, 'inside.example.com', 8080)).toBe(true);
    expect(await allowed({ allow: ['*.example.com:8080'] }, 'inside.example.com', 80)).toBe(false);
    expect(await allowed({ allow: ['10.0.0.0/8'] }, 'inside.example.com')).toBe(true);
    expect(await allowed({ allow: ['127.0.0.1:3000'] }, '127.0.0.1', 3000)).toBe(true);
    expect(await allowed({ allow: ['[::1]:3000'] }, '::1', 3000)).toBe(true);
    expect(await allowed({ allow: ['::1'] }, '[::1]')).toBe(true);
    expect(await allowed({ allow: ['127.0.0.1'] }, 'two-faced.example.com')).toBe(true);
    expect(await allowed({ allow: ['example.com'], deny: ['*.example.com'] }, 'api.example.com')).toBe(false);
    expect(await allowed({ deny: ['93.184.215.0/24'] }, 'example.com')).toBe(false);
    expect(await allowed({ privateNetworks: true }, '127.0.0.1')).toBe(true);
    expect(await allowed({ privateNetworks: true, deny: ['127.0.0.0/8:9229'] }, '127.0.0.1', 9229)).toBe(false);
  });
});
