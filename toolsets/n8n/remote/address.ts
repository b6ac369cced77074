import { Failure } from '@millrace/kernel';

/** Where an n8n instance is and the key to its public API. */
export interface InstanceAddress {
  url: string;
  apiKey: string;
}

/** The instance's own address, whether or not the API's path was written with it. */
export function instanceUrl(written: string): string {
  let url: URL;
  try {
    url = new URL(written.trim());
  } catch (error) {
    throw badAddress(written, error);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badAddress(written, undefined);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api(\/v\d+)?$/, '');
  return url.origin + path;
}

function badAddress(written: string, cause: unknown): Failure {
  return new Failure('unavailable', `N8N_API_URL is not an address: ${JSON.stringify(written.slice(0, 200))}`, {
    fix: { instruction: 'Set it to where n8n is, such as http://localhost:5678' },
    cause,
  });
}

export function notConfigured(): Failure {
  return new Failure('unavailable', 'No n8n instance is configured: set N8N_API_URL and N8N_API_KEY', {
    details: { variables: ['N8N_API_URL', 'N8N_API_KEY'] },
    fix: { instruction: "Set N8N_API_URL to the instance's address and N8N_API_KEY to a key made in its settings under n8n API" },
  });
}
