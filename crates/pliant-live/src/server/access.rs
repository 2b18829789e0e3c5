//! Who may talk to the server: browsers only from its own page, and from elsewhere than this computer only with a token.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Who may talk to the server.
#[derive(Clone, Debug)]
pub struct Access {
    /// What has to come with every request; `None` on the loopback address.
    pub token: Option<String>,
}

impl Access {
    /// Whether a request with these headers and this token may be answered.
    pub fn allows(&self, headers: &HeaderMap, token: Option<&str>) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(HOST) else { return false };
        // a page of another site that a browser shows says so; a name that was made to point here is not ours
        let own = text(ORIGIN).is_none_or(|origin| origin.split_once("://").is_some_and(|(_, from)| from == host));
        match &self.token {
            Some(wanted) => own && token.is_some_and(|token| same(token, wanted)),
            None => own && is_loopback(host),
        }
    }
}

/// Whether a host with its port is this computer.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) => name,
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Comparison that takes the same time wherever they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [(HOST, Some(host)), (ORIGIN, origin)] {
            if let Some(Ok(value)) = value.map(str::parse) {
                headers.insert(name, value);
            }
        }
        headers
    }

    #[test]
    fn only_the_own_page_on_this_computer() {
        let access = Access { token: None };
        for (host, origin, allowed) in [
            ("127.0.0.1:8080", None, true),
            ("localhost:8080", Some("http://localhost:8080"), true),
            ("[::1]:8080", Some("http://[::1]:8080"), true),
            ("localhost:8080", Some("http://evil.example"), false),
            ("localhost:8080", Some("null"), false),
            ("evil.example:8080", Some("http://evil.example:8080"), false),
            ("127.0.0.1.evil.example", None, false),
        ] {
            assert_eq!(access.allows(&headers(host, origin), None), allowed, "{host} {origin:?}");
        }
        assert!(!access.allows(&HeaderMap::new(), None));
    }

    #[test]
    fn elsewhere_only_with_the_token() {
        let access = Access { token: Some("secret".into()) };
        let headers = headers("10.0.0.7:8080", Some("http://10.0.0.7:8080"));
        for (token, allowed) in [(None, false), (Some("secre"), false), (Some("secreT"), false), (Some("secret"), true)]
        {
            assert_eq!(access.allows(&headers, token), allowed, "{token:?}");
        }
    }
}
