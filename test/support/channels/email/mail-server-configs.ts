/**
 * Private configurations of Dovecot and Postfix: everything below one folder, on loopback, and no mail leaves the machine.
 * Mail for the domain is taken for any name and handed to Dovecot, which refuses names without an account: so a wrong
 * address bounces, as it does between servers. Two names are refused at once, one for good and one for now.
 */
import { join } from 'node:path';

/** Any domain but this is refused to everybody. */
export const DOMAIN = 'mail.test';
/** Refused while the mail is handed over, for good. */
export const REFUSED = `refused@${DOMAIN}`;
/** Refused while the mail is handed over, for now. */
export const LATER = `later@${DOMAIN}`;
/** Mails with files of 60 MB must pass, base64 included. */
const MAX_MAIL = 120_000_000;
/** Whom mailboxes belong to. */
const NOBODY = 65_534;

export interface MailPorts {
  imap: number;
  imaps: number;
  smtp: number;
  smtps: number;
}

export function dovecotConfig(folder: string, ports: MailPorts): string {
  const at = (...path: string[]) => join(folder, ...path);
  return `
base_dir = ${at('dovecot')}
state_dir = ${at('dovecot')}
log_path = ${at('dovecot.log')}
listen = 127.0.0.1
protocols = imap lmtp
ssl = yes
ssl_cert = <${at('certificate.pem')}
ssl_key = <${at('key.pem')}
ssl_min_protocol = TLSv1.2
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_cache_size = 0
first_valid_uid = 1
mail_location = maildir:${at('mail')}/%u
mail_uid = ${NOBODY}
mail_gid = ${NOBODY}
mail_max_userip_connections = 200
mailbox_list_index = yes
# A file for each account: Dovecot looks for changes in a file only each second, but finds new ones at once.
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${at('users')}/%u
}
userdb {
  driver = passwd-file
  args = username_format=%u ${at('users')}/%u
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = subscribe
    special_use = \\Sent
  }
}
service imap-login {
  process_min_avail = 1
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
service imap {
  process_limit = 500
}
service lmtp {
  process_min_avail = 1
  unix_listener lmtp {
    user = postfix
    mode = 0600
  }
}
# Without it, nobody from this address waits for those who gave a wrong password.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  unix_listener auth-postfix {
    user = postfix
    mode = 0600
  }
}
`;
}

export function postfixMain(folder: string): string {
  const at = (...path: string[]) => join(folder, ...path);
  return `
compatibility_level = 3.6
queue_directory = ${at('postfix', 'queue')}
data_directory = ${at('postfix', 'data')}
maillog_file = ${at('postfix.log')}
maillog_file_prefixes = ${folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
disable_dns_lookups = yes
smtpd_peername_lookup = no
mynetworks = 127.0.0.1/32
myhostname = mx.${DOMAIN}
mydomain = ${DOMAIN}
myorigin = ${DOMAIN}
mydestination =
alias_maps =
alias_database =
biff = no
notify_classes =
local_transport = error:5.1.1 there is nobody here
default_transport = error:5.4.1 no mail leaves this machine
relay_transport = error:5.4.1 no mail leaves this machine
virtual_mailbox_domains = ${DOMAIN}
virtual_transport = lmtp:unix:${at('dovecot', 'lmtp')}
lmtp_destination_concurrency_limit = 1
enable_long_queue_ids = yes
message_size_limit = ${MAX_MAIL}
virtual_mailbox_limit = 0
minimal_backoff_time = 1s
maximal_backoff_time = 1s
queue_run_delay = 1s
smtpd_error_sleep_time = 0
smtpd_soft_error_limit = 1000
smtpd_hard_error_limit = 1000
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${at('certificate.pem')}
smtpd_tls_key_file = ${at('key.pem')}
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${at('dovecot', 'auth-postfix')}
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{ { ${REFUSED} = 550 5.1.1 No such person } , { ${LATER} = 451 4.7.1 Come back later } } , permit_sasl_authenticated , reject
`;
}

export function postfixMaster(ports: MailPorts): string {
  const services = [
    `127.0.0.1:${ports.smtp} inet n - n - - smtpd`,
    `127.0.0.1:${ports.smtps} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    'showq unix n - n - - showq',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'lmtp unix - - n - - lmtp',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
  ];
  return `${services.join('\n')}\n`;
}
