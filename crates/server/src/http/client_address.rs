//! The address of a client, from its connection or from the proxy in front of the server.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::client_address::ClientAddress;
use crate::http::app::App;

impl FromRequestParts<App> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<ClientAddress, Infallible> {
        let forwarded = app
            .options
            .trust_proxy
            .then(|| forwarded_for(&parts.headers))
            .flatten();
        let connected = || {
            parts
                .extensions
                .get::<ConnectInfo<SocketAddr>>()
                .map(|info| info.0.ip())
        };
        // Only servers in tests have no addresses.
        Ok(ClientAddress::from_ip(
            forwarded
                .or_else(connected)
                .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ))
    }
}

/// The address that the nearest proxy added. Anybody may have written the ones before it.
pub fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}
