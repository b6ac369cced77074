import type { Kind } from './ontology.ts';

export interface Technology {
  name: string;
  kind: Kind;
  /** Other ways to write it, beyond case and hyphens. */
  aliases: readonly string[];
  /** A person's name or an everyday word too: says little about what a document is about. */
  ambiguous: boolean;
  /** An everyday word: meant only where it is written like this. */
  exact: boolean;
  /** npm packages that mean it. */
  packages: readonly string[];
  /** Schemes of connection strings that mean it. */
  schemes: readonly string[];
}

/** `Name | other names | npm packages | URL schemes`; a leading ? marks an everyday word, a leading ! another ambiguous name. */
const TABLE: readonly (readonly [Kind, string])[] = [
  [
    'database',
    `
    PostgreSQL | Postgres, PG SQL | pg, postgres, pg-promise | postgres, postgresql
    MySQL | | mysql, mysql2 | mysql
    MariaDB | | mariadb | mariadb
    SQLite | SQLite3 | better-sqlite3, sqlite3 | sqlite
    SQL Server | MSSQL, Microsoft SQL Server | mssql, tedious | sqlserver, mssql
    MongoDB | Mongo | mongodb, mongoose | mongodb, mongodb+srv
    Redis | | redis, ioredis | redis, rediss
    Memcached | | memcached |
    DynamoDB | Amazon DynamoDB | @aws-sdk/client-dynamodb |
    CouchDB | | nano |
    Couchbase | | couchbase |
    CockroachDB | | |
    ScyllaDB | | |
    Elasticsearch | | @elastic/elasticsearch |
    OpenSearch | | @opensearch-project/opensearch |
    ClickHouse | | @clickhouse/client |
    BigQuery | Google BigQuery | @google-cloud/bigquery |
    !Redshift | Amazon Redshift | @aws-sdk/client-redshift |
    InfluxDB | | @influxdata/influxdb-client |
    TimescaleDB | | |
    Neo4j | | neo4j-driver | neo4j, bolt
    LanceDB | | @lancedb/lancedb |
    pgvector | | pgvector |
    Amazon S3 | AWS S3 | @aws-sdk/client-s3 | s3
    !Cassandra | Apache Cassandra | cassandra-driver | cassandra
    ?Snowflake | | snowflake-sdk |
    !Firestore | | @google-cloud/firestore |
    !MinIO | | minio |
    !Oracle Database | Oracle DB | oracledb |
    ?Pinecone | | @pinecone-database/pinecone |
    !Qdrant | | @qdrant/js-client-rest |`,
  ],
  [
    'queue',
    `
    RabbitMQ | | amqplib | amqp, amqps
    ActiveMQ | Apache ActiveMQ | |
    Amazon SQS | SQS, AWS SQS | @aws-sdk/client-sqs |
    Amazon SNS | SNS, AWS SNS | @aws-sdk/client-sns |
    EventBridge | Amazon EventBridge | @aws-sdk/client-eventbridge |
    Google Pub/Sub | Cloud Pub/Sub | @google-cloud/pubsub |
    Azure Service Bus | | @azure/service-bus |
    Azure Event Hubs | Event Hubs | @azure/event-hubs |
    ZeroMQ | | zeromq |
    BullMQ | | bullmq |
    !Kafka | Apache Kafka, Amazon MSK | kafkajs, node-rdkafka | kafka
    !Kinesis | Amazon Kinesis | @aws-sdk/client-kinesis |
    ?Pulsar | Apache Pulsar | pulsar-client | pulsar
    !NATS | | nats | nats`,
  ],
  [
    'protocol',
    `
    gRPC | | @grpc/grpc-js |
    GraphQL | | graphql, @apollo/server |
    AMQP | | |
    MQTT | | mqtt |
    WebSocket | WebSockets | ws, socket.io |
    OAuth 2.0 | OAuth2, OAuth 2 | |
    OpenID Connect | OIDC | openid-client |
    SAML | SAML 2.0 | |
    HTTPS | | |
    HTTP | HTTP/2, HTTP/1.1 | |
    Server-Sent Events | SSE | |
    SFTP | | |
    JSON-RPC | | |
    Protobuf | Protocol Buffers | protobufjs |
    mTLS | mutual TLS | |
    ?REST | RESTful | |
    ?SOAP | | soap |
    !FTP | | |
    !SMTP | | nodemailer | smtp
    !TLS | | |
    !TCP | | |
    !LDAP | | ldapts | ldap, ldaps`,
  ],
  [
    'service',
    `
    Kubernetes | K8s | |
    nginx | | |
    HAProxy | | |
    Keycloak | | |
    Auth0 | | auth0 |
    Okta | | |
    Grafana | | |
    !Prometheus | | prom-client |
    Datadog | | dd-trace |
    Logstash | | |
    Kibana | | |
    AWS Lambda | | |
    Amazon Cognito | Cognito | |
    CloudFront | Amazon CloudFront | |
    ?API Gateway | Amazon API Gateway, AWS API Gateway | |
    ?Airflow | Apache Airflow | |
    ?Stripe | | stripe |
    Twilio | | twilio |
    SendGrid | | @sendgrid/mail |
    ?Envoy | | |
    !Istio | | |
    ?Kong | | |
    ?Vault | HashiCorp Vault | node-vault |
    ?Consul | HashiCorp Consul | |
    ?Sentry | | @sentry/node |`,
  ],
];

export const TECHNOLOGIES: readonly Technology[] = TABLE.flatMap(([kind, rows]) =>
  rows
    .trim()
    .split('\n')
    .map((row) => technologyOf(kind, row)),
);

function technologyOf(kind: Kind, row: string): Technology {
  const [name = '', aliases = '', packages = '', schemes = ''] = row.split('|').map((cell) => cell.trim());
  const list = (cell: string) => cell.split(',').flatMap((entry) => entry.trim() || []);
  return {
    name: name.replace(/^[?!]/, ''),
    kind,
    aliases: list(aliases),
    ambiguous: /^[?!]/.test(name),
    exact: name.startsWith('?'),
    packages: list(packages),
    schemes: list(schemes),
  };
}

const BY_PACKAGE = new Map(TECHNOLOGIES.flatMap((technology) => technology.packages.map((name) => [name, technology] as const)));
const BY_SCHEME = new Map(TECHNOLOGIES.flatMap((technology) => technology.schemes.map((scheme) => [scheme, technology] as const)));

export function technologyOfPackage(name: string): Technology | undefined {
  return BY_PACKAGE.get(name);
}

export function technologyOfScheme(scheme: string): Technology | undefined {
  return BY_SCHEME.get(scheme.toLowerCase());
}
