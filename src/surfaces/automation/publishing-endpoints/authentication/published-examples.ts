/** Signed requests from the documentation and libraries of platforms, for tests: independent of this implementation. */
import type { SignatureRules } from './verify.ts';

export interface PublishedExample {
  /** Where the example was published. */
  source: string;
  rules: SignatureRules;
  secret: string;
  headers: Record<string, string>;
  contentType: string;
  body: string;
  /** Signing time in Unix seconds; null if the scheme has none. */
  signedAt: number | null;
  deliveryId: string | null;
}

const rules = (scheme: SignatureRules['scheme']): SignatureRules => ({
  scheme,
  hmac: null,
  toleranceSeconds: 300,
});

export const GITHUB: PublishedExample = {
  source: 'docs.github.com, "Validating webhook deliveries", "Testing the webhook payload validation"',
  rules: rules('github'),
  secret: "It's a Secret to Everybody",
  headers: {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  contentType: 'text/plain',
  body: 'Hello, World!',
  signedAt: null,
  deliveryId: null,
};

export const STRIPE: PublishedExample = {
  source:
    'stripe/stripe-dotnet, src/StripeTests: EventUtilityTest.cs and Resources/event_test_signature.json',
  rules: rules('stripe'),
  secret: 'webhook_secret',
  headers: {
    'stripe-signature':
      't=1533204620,v1=2220f87ef101a04665f11cdf770523143f875572008577fa0f20882ddb9cc3c7,v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef',
  },
  contentType: 'application/json',
  body: `{
  "id": "evt_123",
  "object": "event",
  "account": "acct_123",
  "api_version": "2017-05-25",
  "created": 1533204620,
  "data": {
    "object": {
      "id": "cus_123",
      "object": "customer",
      "created": 123456789,
      "email": "test@stripe.com",
      "livemode": false,
      "metadata": {}
    }
  },
  "livemode": false,
  "pending_webhooks": 1,
  "request": {
    "id": "req_123",
    "idempotency_key": "idempotency-key-123"
  },
  "type": "customer.created"
}
`,
  signedAt: 1533204620,
  deliveryId: 'evt_123',
};

export const SLACK: PublishedExample = {
  source: 'docs.slack.dev, "Verifying requests from Slack"',
  rules: rules('slack'),
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
  contentType: 'application/x-www-form-urlencoded',
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  signedAt: 1531420618,
  deliveryId: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
};

export const STANDARD_WEBHOOKS: PublishedExample = {
  source: 'standard-webhooks/standard-webhooks and svix/svix-webhooks, tests of their libraries',
  rules: rules('standard_webhooks'),
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  contentType: 'application/json',
  body: '{"test": 2432232314}',
  signedAt: 1614265330,
  deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
};

export const PUBLISHED_EXAMPLES = [GITHUB, STRIPE, SLACK, STANDARD_WEBHOOKS] as const;
