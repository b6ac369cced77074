import type { TypeDescription } from './description.ts';

/** What people call kinds of nodes, and the words in a node's own name that make it one. */
const TOPICS: Record<string, RegExp> = {
  http: /\b(http|webhook|graphql)\b/,
  webhook: /\bwebhook\b/,
  database:
    /\b(sql|mysql|database|databases|postgres|postgre|pg|mongo|mongodb|redis|supabase|snowflake|dynamo|firestore|cosmos|noco|nocodb|baserow|airtable|quest|questdb|timescale|timescaledb|crate|cratedb|elasticsearch|bigquery|databricks|data table)\b/,
  email: /\b(email|gmail|outlook|imap|smtp|mailgun|mailjet|mailchimp|mandrill|send ?grid|sendy|brevo|postmark|mail)\b/,
  chat: /\b(chat|slack|telegram|discord|whats ?app|teams|mattermost|matrix|rocketchat|line|twilio|zulip|twist|signal)\b/,
  spreadsheet: /\b(sheets|spreadsheet|excel|grist|seatable)\b/,
  file: /\b(file|files|drive|dropbox|box|ftp|s3|storage|next ?cloud|binary|compression|pdf)\b/,
  schedule: /\b(schedule|cron|interval)\b/,
  code: /\b(code|function|execute command)\b/,
  crm: /\b(crm|hub ?spot|pipedrive|salesforce|zoho|copper|affinity|agile|keap|freshworks|monica|high ?level|active campaign)\b/,
};

/** Models are named after where they run, which makes them no database. */
const MODEL = /^(lm[A-Z]|embeddings)/;

export function topicsOf(description: TypeDescription): string[] {
  if (MODEL.test(description.name)) return [];
  const text = `${words(description.name)} ${description.displayName}`.toLowerCase();
  return Object.entries(TOPICS).flatMap(([topic, pattern]) => (pattern.test(text) ? [topic] : []));
}

/** The words of a camel-cased name. */
export function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();
}
