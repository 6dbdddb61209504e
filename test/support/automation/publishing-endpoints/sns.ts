/** Amazon SNS as tests need it: messages that it signed, and its hosts on this machine. */
import { sign } from 'node:crypto';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import type { AppDeps } from '../../../../src/app/app-deps.ts';
import { getSignedText } from '../../../../src/surfaces/automation/publishing-endpoints/ingress/sns.ts';

/** For sns.us-east-1.amazonaws.com and sns.cn-north-1.amazonaws.com.cn, until 2119; only tests trust it. */
const CERTIFICATE = `
-----BEGIN CERTIFICATE-----
MIIDZjCCAk6gAwIBAgIUHv47jsa/m0TUdKEloLzqsT0c+0gwDQYJKoZIhvcNAQEL
BQAwHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wIBcNMjYxMTI5MDk1NTA2
WhgPMjEyMDAxMDEwOTU1MDZaMBwxGjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29t
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzcHv4q6Yw7hkv7MjDZun
MqovZa/Ld2xNSn6ZuuK2i3+BK7ajcuE3N9/VWHjATn6XA/LFle+HF2XV4PPNfugg
4K4Pc+Xr5q4Ffl1/XIc6h2dF4SAXhC5ByhPmkF9D/7uSbvEVfSXRO+MLUJc4HqyZ
Nc50KfUJahyadsEPIhenULuWJKaREvZOOzdtesGkCERqfGVu/WZk4NOVPpze3jLe
+NMikJ016IP2WNXzTCUr9a7LFfI1TkLJaRZ0u4LWnPdodhZG3iYMDl9aEarKUle9
kQywQdaRwXGAiQnd5ZASk5Axw9U3nRgFgUWN6bCes8AkNvmeeTKl4tn2PHHzc+Iy
SQIDAQABo4GdMIGaMB0GA1UdDgQWBBRAwacwEKiE0dZdtAmMuKw12vVcgzAfBgNV
HSMEGDAWgBRAwacwEKiE0dZdtAmMuKw12vVcgzAPBgNVHRMBAf8EBTADAQH/MEcG
A1UdEQRAMD6CG3Nucy51cy1lYXN0LTEuYW1hem9uYXdzLmNvbYIfc25zLmNuLW5v
cnRoLTEuYW1hem9uYXdzLmNvbS5jbjANBgkqhkiG9w0BAQsFAAOCAQEAcKSRrCh/
m7a+2jos3MKnEmbEEdEGv7Ejl4mUlaFRGXCQdRs8zD8nh9gCbGC+NXVQadVLOFhH
DnCvJQ3xx7QH3Hawke1nlXl9kroJwfsaW1ehiuY87Pt3XQssQYWnCdCsVhoRJJeT
awZG/dhu+H4SkR8fcVSsOax+f6inUlfrrAWjr79Bi/xrc/jkRqTC2k62OVXKtwPu
9vFD9OAbFtI6ThhPZkGlvIcTJOuo2yxVWbrkK/og7mwsrH8GaT4JW+IZLAJgw4cD
IecJMkZCVGpSDnDkRf9CM6jHYnGdoysSZMokae6E82I79H/0CeHIUmSyL1nLeXlz
cyO7fAWvIMxVIg==
-----END CERTIFICATE-----
`;

const PRIVATE_KEY = `
-----BEGIN PRIVATE KEY-----
MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDNwe/irpjDuGS/
syMNm6cyqi9lr8t3bE1Kfpm64raLf4ErtqNy4Tc339VYeMBOfpcD8sWV74cXZdXg
881+6CDgrg9z5evmrgV+XX9chzqHZ0XhIBeELkHKE+aQX0P/u5Ju8RV9JdE74wtQ
lzgerJk1znQp9QlqHJp2wQ8iF6dQu5YkppES9k47N216waQIRGp8ZW79ZmTg05U+
nN7eMt740yKQnTXog/ZY1fNMJSv1rssV8jVOQslpFnS7gtac92h2FkbeJgwOX1oR
qspSV72RDLBB1pHBcYCJCd3lkBKTkDHD1TedGAWBRY3psJ6zwCQ2+Z55MqXi2fY8
cfNz4jJJAgMBAAECggEAK9Giic8PH5d0dVLsIyjD+ck+oNRIa5139GZzzNYddCXq
V2nk80E9ZjvYDqhgpBbXiHK6W40QYw4/91FUsTM0VUUca11K2Oy0pM26ovT1pQJ8
Yk5YU8EaJ7QHRTXUoHDM5a2YGvfj0HIw5a/etsGhO1FFce4KXDvNNX81/te0vT9k
Dx8BUq5S5DijRGf+ic5SFtVVDWckiCAomyqqa5tY3KS6jtUUhMUuYH6CTUfOuiCH
+qDTv+p2MCqygIQ0nfJDmQNpcGNOsfBgTEgxj+COVwo1qWJxuV/4WHaWDOLHJ7bz
UHlQOcW4HZui+NRm7zIL8/Wp7PMTNIE1QqERPeTBlQKBgQDuGDJYB6YuyNwothdC
jzPsfC3/LneD94xbaocG2QaSNAFW/OmSNbYmLmXQGCTqfgMBzLu9camstlp/7iW9
roxi8eIHf7unKGCoh4n/rLUe7KE0jUX4CaFc11vEVmOc/o0qOPV0q6YDsdDZMZpu
pImmoReQ8NZHMVyltoeMQLCSAwKBgQDdOzA4f+t847Nf9/tX9QEWN/yrwUh2W3tE
Z+YgGXavx4X3KmzLx1DdSUqdCO6ONjjMSol1hMXBNwA2jfXnDna7bYPJ6PUv2UOj
DjyjPzq58VFoA28IUutFv085r5ZUMMVFcGnPLPwR2on9i/xLB5U5eziARO94ZfMJ
wzC/TCz+wwKBgHYDgFCp2fEulhGH0Bepq274TkRB3/OFbAiT0MHQKLWnGVLooU1b
WiGqtcRjc0jXlN37gMLx58w3xrvKauKN9f/FLOfSpEzCcsaWCAy2qj/dwjmuHJRJ
EbZW+KFkwJM8iPP4r5FY0zzZkk9Vitp0q9Xv2yJ4fX1kNivdQWp/VgXJAoGBALy8
rSPWhimS/Mnn/ucIH3g8JXTGPbKz0xMF7L7/2lCWUMUPzaeAEI3o5B3aq+JpgcVP
5bt7nVZ8PNNOAzavET5PbPqJovvCSEDIeZTv8YMGzGOHYmdgjlV/o/Bby01iGjpm
b+6OuzHkFotXrNK50mYqqIZNyVsW5uQyQNlC/LQPAoGBANSqwahf5SvuS0uYZEIW
weVutJDyzDhLncatbYkApP4ZU1y6ReoBdNCvksvLFnwFhjnSRWGTqR14+N3ObDFj
MDj7Kdq7DEGEoFA0vCrQ9Pkw9np93CNdk10cCIgzb/lGVSqVeMA89CFVFSsj02Cn
DMwnhYrxdYZupVoqNUOrF38e
-----END PRIVATE KEY-----
`;

export const CERTIFICATE_PATH = '/SimpleNotificationService-0123456789abcdef.pem';

/** Signs a message. @param version of the signature */
export const signMessage = (
  message: Record<string, string>,
  version: '1' | '2' = '1',
): Record<string, string> => ({
  SigningCertURL: `https://sns.us-east-1.amazonaws.com${CERTIFICATE_PATH}`,
  ...message,
  SignatureVersion: version,
  Signature: sign(
    version === '1' ? 'RSA-SHA1' : 'RSA-SHA256',
    Buffer.from(getSignedText(message)),
    PRIVATE_KEY,
  ).toString('base64'),
});

export interface FakeSns {
  /** Hosts and paths that were fetched, in order. */
  fetched: string[];
  /** The status of its responses to confirmations. */
  status: number;
  egress: NonNullable<AppDeps['egress']>;
  stop(): void;
}

/** Serves the certificate and confirmations, at the addresses of SNS. */
export async function startSns(): Promise<FakeSns> {
  const server = https.createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    sns.fetched.push(`${request.headers.host}${request.url}`);
    if (request.url === CERTIFICATE_PATH) response.end(CERTIFICATE);
    else response.writeHead(request.url?.startsWith('/?Action=') ? sns.status : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sns: FakeSns = {
    fetched: [],
    status: 200,
    egress: {
      resolve: async () => ['8.8.8.8'],
      openSocket(address) {
        const socket = net.connect(port, '127.0.0.1');
        Object.defineProperty(socket, 'remoteAddress', { value: address });
        return socket;
      },
      tls: { ca: CERTIFICATE },
    },
    stop: () => void server.close(),
  };
  return sns;
}
